import { useId, useRef, useState } from 'preact/hooks';
import { completeFilter, type FilterValues, type Suggestion } from '../filter/complete-filter.js';
import type { FilterIssue } from '../filter/parse-filter.js';
import { Text } from './text.js';

interface FilterFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly issues: readonly FilterIssue[];
  /** Returns values of the list for completion. */
  readonly readValues: () => FilterValues;
}

/** A field for a filter, with completion of keys and values, and the position of each issue. */
export function FilterField({ label, value, onChange, issues, readValues }: FilterFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([]);
  const [chosen, setChosen] = useState(-1);
  /** After a complete condition, the list would only cover the rows, unless the user asks for it. */
  const suggest = (isAsked = false) => {
    const { value: filter = '', selectionStart } = input.current ?? {};
    const cursor = selectionStart ?? 0;
    const isWanted = isAsked || filter === '' || /\S$/.test(filter.slice(0, cursor));
    setSuggestions(isWanted ? completeFilter(filter, cursor, readValues()) : []);
    setChosen(-1);
  };
  const accept = (suggestion: Suggestion | undefined) => {
    const { current } = input;
    if (!suggestion || !current) return;
    current.value = suggestion.filter;
    current.setSelectionRange(suggestion.cursor, suggestion.cursor);
    onChange(suggestion.filter);
    suggest();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const count = suggestions.length;
    if (event.key === 'ArrowDown' && count === 0) suggest(true);
    else if (event.key === 'ArrowDown') setChosen((chosen + 1) % count);
    else if (event.key === 'ArrowUp') setChosen((chosen <= 0 ? count : chosen) - 1);
    else if (event.key === 'Tab' && !event.shiftKey && count > 0 && (chosen >= 0 || value !== ''))
      accept(suggestions[Math.max(0, chosen)]);
    else if (event.key === 'Enter' && chosen >= 0) accept(suggestions[chosen]);
    else if ((event.key === 'Escape' || event.key === 'Enter') && count > 0) setSuggestions([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="filter-field">
      <input
        ref={input}
        type="text"
        role="combobox"
        data-focus
        class="mono"
        spellcheck={false}
        autocomplete="off"
        aria-label={label}
        aria-invalid={issues.length > 0}
        aria-expanded={suggestions.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
        placeholder="method:tools/call is:error took:>500ms text  /"
        value={value}
        onFocus={() => suggest()}
        onBlur={() => setSuggestions([])}
        onInput={event => {
          onChange(event.currentTarget.value);
          suggest();
        }}
        onKeyDown={onKeyDown}
      />
      {suggestions.length > 0 && (
        <div class="suggestions mono" role="listbox" id={`${id}-list`} aria-label="Completions">
          {suggestions.map((suggestion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus
            <div
              key={suggestion.label}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              // A click must not take the focus from the field.
              onMouseDown={event => event.preventDefault()}
              onClick={() => accept(suggestion)}
            >
              <Text value={suggestion.label} /> <span class="dim">{suggestion.description}</span>
            </div>
          ))}
        </div>
      )}
      {issues.map(({ start, message }) => (
        <p class="issue" key={start} role="status">
          at character {start + 1}: <Text value={message} />
        </p>
      ))}
    </div>
  );
}
