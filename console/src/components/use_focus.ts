import { type RefObject, useEffect } from 'react';

/** Puts the focus into a field of a dialog once it is open: dialogs give it to their close button first. */
export function useFocus(field: RefObject<{ focus(): void } | null>): void {
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => field.current?.focus());
    });
    return () => cancelAnimationFrame(frame);
  }, [field]);
}
