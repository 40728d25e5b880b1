import { useState } from 'preact/hooks';
import { canChange } from '../console-state.js';
import { callApi } from '../request.js';

/** Sign of the command for a value that it has masked. */
const MASK = '…';

/** A text that the command may have masked. The user can request its value, which the command reports on its screen. */
export function MaskedText({ value, reveal: show }: { value: string; reveal: (() => Promise<unknown>) | undefined }) {
  const [shown, setShown] = useState<string | null>(null);
  if (shown !== null) return <span class="revealed">{shown}</span>;
  if (!show || !canChange.value || !value.includes(MASK)) return <>{value}</>;
  const request = () => {
    show().then(
      found => setShown(typeof found === 'string' ? found : JSON.stringify(found)),
      () => setShown('not in memory any more'),
    );
  };
  return (
    <>
      {value}{' '}
      <button type="button" class="link" onClick={request}>
        show
      </button>
    </>
  );
}

/** Requests a masked value of a message. */
export async function reveal(seq: number, place: object): Promise<unknown> {
  const { value } = await callApi<{ readonly value: unknown }>('POST', `wire/${seq}/reveal`, place);
  return value;
}
