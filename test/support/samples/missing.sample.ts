import { expect } from "vitest";
import { needs } from "../needs.js";

const nothing = needs(false, "what no machine has");
needs(false, "what no machine has");
nothing.describe("a suite", () => expect.fail("a suite whose needs are not met was run"));
nothing.it("is a test", () => expect.fail("a test whose needs are not met was run"));
