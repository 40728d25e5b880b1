import { Text } from './text.js';

/** Removes the verdict of a lock from the title of a change. */
export const toPlainTitle = (title: string): string => title.replace(/ \((?:to be approved|a note)\)$/, '');

/** The removed and the added lines of a change. */
export const DriftLines = ({ lines }: { readonly lines: readonly string[] }) => (
  <div class="diff mono">
    {lines.map((line, index) => (
      <DiffLine key={index} line={line} />
    ))}
  </div>
);

/** A line with its sign. The names of characters that cannot be seen stand out. */
function DiffLine({ line }: { readonly line: string }) {
  const parts = line.slice(2).split(/(<U\+[0-9A-F]{4,6}(?: [^<>]+)?>)/);
  const content = (
    <>
      {line.startsWith('-') ? '− ' : line.startsWith('+') ? '+ ' : '  '}
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <span key={index} class="hidden">
            {part.slice(1, -1)}
          </span>
        ) : (
          <Text key={index} value={part} />
        ),
      )}
    </>
  );
  if (line.startsWith('-')) return <del class="line">{content}</del>;
  if (line.startsWith('+')) return <ins class="line">{content}</ins>;
  return <span class="line dim">{content}</span>;
}
