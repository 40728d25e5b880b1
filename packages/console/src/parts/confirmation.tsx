import type { ComponentChildren } from 'preact';

interface ConfirmationProps {
  /** Question for screen readers. */
  readonly label: string;
  /** Text of the button that confirms. */
  readonly action: string;
  /** Text of the button that changes nothing. */
  readonly refusal: string;
  readonly onConfirm: () => void;
  readonly onRefuse: () => void;
  /** Question as it is shown. */
  readonly children: ComponentChildren;
}

/** Asks before a change. The button that confirms has the focus, and Escape changes nothing. */
export function Confirmation({ label, action, refusal, onConfirm, onRefuse, children }: ConfirmationProps) {
  return (
    <span
      class="actions"
      role="alertdialog"
      aria-label={label}
      onKeyDown={event => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onRefuse();
      }}
    >
      <span>{children}</span>
      <button type="button" class="primary" ref={focusElement} onClick={onConfirm}>
        {action}
      </button>
      <button type="button" onClick={onRefuse}>
        {refusal}
      </button>
    </span>
  );
}

const focusElement = (element: HTMLElement | null): void => element?.focus();
