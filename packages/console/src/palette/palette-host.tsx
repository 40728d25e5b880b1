import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Text in the field of the palette. `null`: the palette is closed. */
export const paletteText = signal<string | null>(null);

/** Shows the palette while it is open. Its code is loaded at the first use. */
export function PaletteHost() {
  const [Palette, setPalette] = useState<ComponentType<{ readonly onClose: () => void }> | null>(null);
  const isOpen = paletteText.value !== null;
  useEffect(() => {
    if (isOpen && !Palette) void import('./palette.js').then(loaded => setPalette(() => loaded.Palette));
  }, [isOpen]);
  if (!isOpen || !Palette) return null;
  return (
    <Palette
      onClose={() => {
        paletteText.value = null;
      }}
    />
  );
}
