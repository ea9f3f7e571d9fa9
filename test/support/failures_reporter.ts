import { DefaultReporter, type TestCase, type TestModule, type Vitest } from "vitest/node";

/** Vitest says at the end of a run why tests failed. This also says it when they fail. */
export default class FailuresReporter extends DefaultReporter {
  #vitest?: Vitest;

  override onInit(vitest: Vitest): void {
    super.onInit(vitest);
    this.#vitest = vitest;
  }

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test);
    this.#print(test.fullName, test.module, test.result().errors);
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module);
    this.#print("", module, module.errors());
  }

  #print(name: string, module: TestModule, errors: readonly unknown[] = []): void {
    const { project, relativeModuleId } = module;
    for (const error of errors) {
      this.#vitest!.logger.error(`FAILED ${project.name} ${relativeModuleId} ${name}`);
      this.#vitest!.logger.printError(error, { project });
    }
  }
}
