import { BRANCH_STEPS, checkBranch, checkForm, countSteps } from './check-run.js';
import type { KeywordCompilers } from './keyword-compiler.js';

/** Compilers of the keywords that apply subschemas to the value itself. */
export const COMBINING_KEYWORDS: KeywordCompilers = {
  not(schema: unknown, { compile }) {
    const check = compile(schema);
    return (value, run) => {
      const { evaluated } = run;
      run.evaluated = undefined;
      const isValid = checkBranch(check, value, run, undefined);
      run.evaluated = evaluated;
      return !isValid;
    };
  },
  anyOf(schemas: readonly unknown[], { compile }) {
    const checks = schemas.map(schema => compile(schema));
    return (value, run) => {
      countSteps(run, checks.length * BRANCH_STEPS);
      let isValid = false;
      for (const check of checks) {
        if (!checkForm(check, value, run)) continue;
        isValid = true;
        // The other alternatives may evaluate more members.
        if (run.evaluated === undefined) break;
      }
      return isValid;
    };
  },
  allOf(schemas: readonly unknown[], { compile }) {
    const checks = schemas.map(schema => compile(schema));
    return (value, run) => {
      countSteps(run, checks.length * BRANCH_STEPS);
      let isValid = true;
      for (const check of checks) {
        isValid = checkBranch(check, value, run, run.failures) && isValid;
        if (!isValid && run.failures === undefined) break;
      }
      return isValid;
    };
  },
  oneOf(schemas: readonly unknown[], { compile }) {
    const checks = schemas.map(schema => compile(schema));
    return (value, run) => {
      countSteps(run, checks.length * BRANCH_STEPS);
      let matches = 0;
      for (const check of checks) {
        if (checkForm(check, value, run)) matches++;
        if (matches > 1 && run.failures === undefined) break;
      }
      return matches === 1;
    };
  },
  if(schema: unknown, { compile, schema: { then: thenSchema = true, else: elseSchema = true } }) {
    const [check, checkThen, checkElse] = [compile(schema), compile(thenSchema), compile(elseSchema)];
    return (value, run) => (checkBranch(check, value, run, undefined) ? checkThen : checkElse)(value, run);
  },
};
