import { signal } from '@preact/signals';

/** The message that waits for another one to be compared with. */
const marked = signal<number | null>(null);

/** Marks a message, and then compares it with the next chosen one. */
export function ComparedMessage({ seq }: { readonly seq: number }) {
  const { value } = marked;
  if (value === null || value === seq)
    return (
      <button
        type="button"
        aria-pressed={value === seq}
        title="Choose this message, and then another one"
        onClick={() => {
          marked.value = value === seq ? null : seq;
        }}
      >
        {value === seq ? 'Choose another message' : 'Compare'}
      </button>
    );
  return (
    <a
      href={`/compare?a=${value}&b=${seq}`}
      onClick={() => {
        marked.value = null;
      }}
    >
      compare with message {value}
    </a>
  );
}
