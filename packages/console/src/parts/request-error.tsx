import { useState } from 'preact/hooks';
import { describeFailure } from '../request.js';
import { Text } from './text.js';

/** Returns a function that runs a request to the command, and the cause if the last one failed, else an empty text. */
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
