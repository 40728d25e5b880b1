import { canChange, getLastCall } from './console-state.js';
import { isHelpOpen } from './parts/key-help.js';
import { callApi } from './request.js';
import { saveRecording } from './save-file.js';

/** Calls again what was called last. */
export function repeatLast(): void {
  const last = getLastCall();
  if (last > 0 && canChange.value) void callApi('POST', `calls/${last}/repeat`);
}

/** Actions without a place in a view, each with its key. */
export const ACTIONS: readonly { readonly title: string; readonly detail: string; readonly run: () => void }[] = [
  { title: 'Repeat the last call', detail: 'r', run: repeatLast },
  { title: 'Save all messages as a recording', detail: '', run: () => void saveRecording({}) },
  {
    title: 'Show all keys',
    detail: '?',
    run: () => {
      isHelpOpen.value = true;
    },
  },
];
