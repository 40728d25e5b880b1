import { useEffect, useState } from 'preact/hooks';
import { parseTypedJson } from '../json-values.js';
import { HiddenNote } from './text.js';

interface JsonEditorProps {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly rows?: number;
}

const toText = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** A JSON text that can be edited. Each valid text is passed on, and a fault is located. An empty text is no value. */
export function JsonEditor({ label, value, onChange, rows = 4 }: JsonEditorProps) {
  const [text, setText] = useState(toText(value));
  const [fault, setFault] = useState('');
  const [sent, setSent] = useState(toText(value));
  useEffect(() => {
    // The form has changed the value.
    if (toText(value) === sent) return;
    setText(toText(value));
    setSent(toText(value));
    setFault('');
  }, [value, sent]);
  const change = (next: string) => {
    setText(next);
    try {
      const parsed: unknown = next.trim() === '' ? undefined : parseTypedJson(next);
      setFault('');
      setSent(toText(parsed));
      onChange(parsed);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  const shownRows = Math.min(24, Math.max(rows, text.split('\n').length));
  return (
    <div class="json-editor">
      <textarea
        class="mono"
        aria-label={label}
        aria-invalid={fault !== ''}
        spellcheck={false}
        rows={shownRows}
        value={text}
        onInput={event => change(event.currentTarget.value)}
      />
      <HiddenNote value={text} />
      {fault !== '' && <div class="issue">{fault}</div>}
    </div>
  );
}
