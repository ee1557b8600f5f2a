/** A binary value from a file: its bytes as base64. */
import Button from '@cloudscape-design/components/button';
import { useRef } from 'react';
import { notify } from '../app/notices.ts';
import { MAX_ITEM_BYTES } from '../values/index.ts';
import { formatCount } from './format.ts';

/** Base64 in steps: a call takes only so many arguments. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

export function FileValue({ label, onChange }: { label: string; onChange: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MAX_ITEM_BYTES) {
      notify({ type: 'error', content: `${file.name} has ${formatCount(file.size)} bytes. An item may have ${formatCount(MAX_ITEM_BYTES)}.` });
      return;
    }
    try {
      onChange(base64(new Uint8Array(await file.arrayBuffer())));
    } catch (error) {
      notify({ type: 'error', content: `${file.name} could not be read: ${(error as Error).message}` });
    }
  };
  return (
    <>
      <Button variant="icon" iconName="upload" formAction="none" ariaLabel={`${label} from a file`} onClick={() => input.current!.click()} />
      <input
        ref={input}
        type="file"
        hidden
        onChange={(event) => {
          void read(event.target.files?.[0]);
          event.target.value = ''; // the same file can be chosen again
        }}
      />
    </>
  );
}
