import { useState } from 'preact/hooks';
import { describeFailure } from '../request.js';
import { Text } from './text.js';

/** Runs requests to the command one at a time, and keeps the cause of the last failure. Empty: the last one succeeded. */
export function useRequest(): readonly [error: string, run: (request: () => Promise<void>) => Promise<void>] {
  const [error, setError] = useState('');
  const run = async (request: () => Promise<void>) => {
    try {
      await request();
      setError('');
    } catch (thrown) {
      setError(describeFailure(thrown).cause);
    }
  };
  return [error, run];
}

/** The error of a request in words. Nothing if the text is empty. */
export const RequestError = ({ error }: { readonly error: string }) =>
  error === '' ? null : (
    <p class="issue">
      <Text value={error} />
    </p>
  );
