import { DefaultReporter, type TestCase, type TestModule, type TestSuite, type Vitest } from "vitest/node";

/**
 * Vitest says at the end of a run why tests failed. This also says it when they fail: tests, the hooks of
 * suites and files, and what nobody awaited.
 */
export default class FailuresReporter extends DefaultReporter {
  override onInit(vitest: Vitest): void {
    super.onInit(vitest);
    vitest.state.onUnhandledError = (error) => this.#print(`${error.type}`, [error]);
  }

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test);
    this.#print(`${placeOf(test.module)} ${test.fullName}`, test.result().errors, test.module);
  }

  override onTestSuiteResult(suite: TestSuite): void {
    super.onTestSuiteResult(suite);
    this.#print(`${placeOf(suite.module)} ${suite.fullName}`, suite.errors(), suite.module);
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module);
    this.#print(placeOf(module), module.errors(), module);
  }

  #print(name: string, errors: readonly unknown[] = [], module?: TestModule): void {
    for (const error of errors) {
      this.ctx.logger.error(`FAILED ${name}`);
      this.ctx.logger.printError(error, module && { project: module.project });
    }
  }
}

const placeOf = ({ project, relativeModuleId }: TestModule) => `${project.name} ${relativeModuleId}`;
