import type { ComponentChildren } from 'preact';
import { canChange } from '../console-state.js';

/** Controls that call, change or answer. A page that is read-only does not have them, because the command refuses their requests. */
export const ForOperator = ({ children }: { readonly children: ComponentChildren }) =>
  canChange.value ? <>{children}</> : null;
