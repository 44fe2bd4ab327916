/**
 * What the test files import as "vitest" when Deno runs them, since Vitest itself needs Node: its own runner
 * and its own `expect`, which are packages that run anywhere.
 */
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend, chai } from "@vitest/expect";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  it,
  onTestFinished,
  test,
} from "@vitest/runner";
export const { expect } = chai;
