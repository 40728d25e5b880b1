import { signal } from '@preact/signals';

export const isHelpOpen = signal(false);

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['b  c  w  o  s  i', 'servers, calls, wire, recordings, sign-in, input requests'],
  ['g  a', 'the gateway and its approvals, if the console belongs to one'],
  ['← →', 'the message before or after, in a recording'],
  ['Ctrl K', 'everything by its name'],
  ['/', 'filter'],
  ['↑ ↓ or j k', 'move in lists'],
  ['Enter', 'open, or connect'],
  ['Ctrl Enter', 'call the tool'],
  ['r', 'repeat the last call'],
  ['v', 'the same call on another protocol version'],
  ['y', 'copy the shown call, or make a test of it'],
  ['e', 'save the shown messages as a recording'],
  ['n', 'the next request of a sign-in'],
  ['Esc', 'leave a field, close the message'],
  ['t', 'theme'],
];

/** The keys of the page. */
export function KeyHelp() {
  if (!isHelpOpen.value) return null;
  return (
    <div class="popover" role="dialog" aria-label="Keys">
      <table>
        <tbody>
          {KEYS.map(([keys, does]) => (
            <tr key={keys}>
              <td>
                <kbd>{keys}</kbd>
              </td>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button
        type="button"
        onClick={() => {
          isHelpOpen.value = false;
        }}
      >
        Close
      </button>
    </div>
  );
}
