import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export const isPaletteOpen = signal(false);

/** Shows the palette while it is open. Its code is loaded at the first use. */
export function PaletteHost() {
  const [Palette, setPalette] = useState<ComponentType<{ readonly onClose: () => void }> | null>(null);
  const isOpen = isPaletteOpen.value;
  useEffect(() => {
    if (isOpen && !Palette) void import('./palette.js').then(loaded => setPalette(() => loaded.Palette));
  }, [isOpen]);
  if (!isOpen || !Palette) return null;
  return (
    <Palette
      onClose={() => {
        isPaletteOpen.value = false;
      }}
    />
  );
}
