import { GpuEngine } from "../../src/core/engines/gpu.js";
import { describeRecords } from "../support/record_cases.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`records on ${selector}`, ({ gpu }) => describeRecords(new GpuEngine(gpu, selector), 20));
