import { useEffect, useState } from 'preact/hooks';
import type { Json, ServerView } from '../api.js';
import { callApi, toServerApi } from '../request.js';
import { Text } from './text.js';

/** Time without a key after which values are requested, in milliseconds. */
const COMPLETION_DELAY = 150;
/** Number of values that are shown. */
const MAX_VALUES = 12;

interface CompletedInputProps {
  readonly server: ServerView;
  /** The prompt or template whose argument it is. */
  readonly reference: { readonly uri: string } | { readonly name: string };
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}

/** A text field with the values that the server completes while the user types. */
export function CompletedInput(props: CompletedInputProps) {
  const { server, reference, name, isRequired, description, values, onChange } = props;
  const [offered, setOffered] = useState<readonly string[]>([]);
  const [isFocused, setFocused] = useState(false);
  const value = values[name] ?? '';
  const others = Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
  const key = JSON.stringify([server.name, reference, name, value, others]);
  useEffect(() => {
    if (!isFocused) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      const body: Json = { ref: reference, name, value, others };
      callApi<{ values: readonly string[] }>('POST', toServerApi(server.name, 'complete'), body).then(
        completion => {
          if (isCurrent) setOffered(completion.values.filter(each => each !== value));
        },
        () => {
          if (isCurrent) setOffered([]);
        },
      );
    }, COMPLETION_DELAY);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, isFocused]);
  const id = `argument-${name}`;
  return (
    <div
      class="member"
      onFocusIn={() => setFocused(true)}
      onFocusOut={event => {
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)))
          setFocused(false);
      }}
    >
      <label class="name mono" for={id}>
        <span>
          <Text value={name} />
          {isRequired && <span class="required">*</span>}
        </span>
      </label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={event => onChange(event.currentTarget.value)}
      />
      {/* They stay when the focus leaves: else the button that is clicked next would move away. */}
      {offered.length > 0 && (
        <fieldset class="offered" aria-label={`Values of ${name}`}>
          {offered.slice(0, MAX_VALUES).map(each => (
            <button type="button" class="mono" key={each} onClick={() => onChange(each)}>
              <Text value={each} />
            </button>
          ))}
          {offered.length > MAX_VALUES && <span class="dim">{offered.length - MAX_VALUES} more: type on</span>}
        </fieldset>
      )}
      {description !== '' && (
        <div class="hint">
          <Text value={description} />
        </div>
      )}
    </div>
  );
}
