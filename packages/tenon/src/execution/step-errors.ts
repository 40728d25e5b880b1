import { TenonError } from '@tenon/base';

export function createRequestInStepError(method: string): TenonError {
  return new TenonError('handler/request-in-step', `the handler requested ${method} inside a step`, {
    hint: 'request the input before the step, and use the answer in the step',
  });
}

export function createNestedStepError(step: string): TenonError {
  return new TenonError('handler/step-in-step', `the step "${step}" is nested in another step`, {
    hint: 'run the steps one after the other',
  });
}

export function createStepValueError(step: string, fault: string): TenonError {
  return new TenonError('handler/step-not-json', `the return value of the step "${step}" is not JSON`, {
    expected: 'null, a boolean, a finite number, a string, an array or plain object of these, or undefined',
    received: fault,
    hint: 'return only the values that the handler needs later',
  });
}
