import { parseJsonPointer } from '@tenon/base';

/** Beginning of an issue in a form: a JSON Pointer that begins with the name of a field. */
const POINTER = /^at (\/.*?): /;

/**
 * Formats the issues of a form for people: with the names of fields instead of JSON Pointers.
 *
 * @param isOneField True if the user sees the field. Its name is then omitted.
 */
export function formatIssue(issue: string, isOneField = false): string {
  const lines = issue.split('\n').map(line =>
    line.replace(POINTER, (_, pointer: string) => {
      const steps = parseJsonPointer(pointer);
      const shown = (isOneField ? steps.slice(1) : steps).join('.');
      return shown === '' ? '' : `${shown}: `;
    }),
  );
  return lines.join('\n');
}
