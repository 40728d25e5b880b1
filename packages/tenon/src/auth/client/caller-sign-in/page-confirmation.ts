import { createRandomText } from '@tenon/base';
import type { ConfirmIssuer, IssuerConfirmation } from '../sign-in/issuer-redirect.js';

/** Form in which the user of a page confirms the issuer. */
export interface ConfirmationForm extends IssuerConfirmation {
  /** Secret of the form, so that no other site can send it. */
  readonly token: string;
  resolve(confirmed: boolean): void;
}

/** Passes the confirmation of an issuer from the client to the page of the user. */
export interface PageConfirmation {
  readonly confirmIssuer: ConfirmIssuer;
  /** Resolves with the form as soon as the client needs a confirmation. */
  readonly requested: Promise<ConfirmationForm>;
  /** Form that the client waits for. `undefined` if it needs none. */
  readonly form: ConfirmationForm | undefined;
}

export function createPageConfirmation(): PageConfirmation {
  let form: ConfirmationForm | undefined;
  let request: (form: ConfirmationForm) => void = () => {};
  const requested = new Promise<ConfirmationForm>(resolve => {
    request = resolve;
  });
  return {
    requested,
    get form() {
      return form;
    },
    confirmIssuer: (confirmation, signal) =>
      new Promise<boolean>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        form = { ...confirmation, token: createRandomText(), resolve };
        request(form);
      }),
  };
}
