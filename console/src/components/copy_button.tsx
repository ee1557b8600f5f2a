import Button from '@cloudscape-design/components/button';
import { useEffect, useState } from 'react';

/** Copies; also on plain http beyond localhost, where browsers have no clipboard API. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('readonly', '');
    area.className = 'off-screen';
    const focused = document.activeElement as HTMLElement | null;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    focused?.focus();
    return done;
  }
}

interface Props {
  text: string | (() => string);
  /** What is copied, for screen readers: 'Copy the command'. */
  label: string;
  /** Shown beside the icon; without it, the icon alone. */
  children?: string;
}

export function CopyButton({ text, label, children }: Props) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => setState((await copyText(typeof text === 'function' ? text() : text)) ? 'done' : 'failed');
  return (
    <Button
      variant={children ? 'normal' : 'icon'}
      iconName={state === 'done' ? 'check' : state === 'failed' ? 'close' : 'copy'}
      formAction="none"
      ariaLabel={state === 'done' ? 'Copied' : label}
      onClick={() => void copy()}
    >
      {children}
    </Button>
  );
}
