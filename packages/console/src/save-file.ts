import type { RecordingExport, RecordingSelection } from './api.js';
import { callApi } from './request.js';

/** Saves a text as a file of the user. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text]));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the address after this task.
  setTimeout(() => URL.revokeObjectURL(address));
}

/** Saves messages as a recording. Returns the number of those that the command has no more. */
export async function saveRecording(selection: RecordingSelection): Promise<number> {
  const { name, text, missing } = await callApi<RecordingExport>('POST', 'recordings', selection);
  saveFile(name, text);
  return missing;
}
