import { CopyButton } from './copy_button.tsx';

interface Props {
  text: string;
  /** What it is, for screen readers: 'Command'. */
  label: string;
  /** 'tall' scrolls from 60% of the window's height. */
  height?: 'short' | 'tall';
}

/** Code to be read and copied. */
export function CodeBlock({ text, label, height = 'tall' }: Props) {
  return (
    <div className={`code-block ${height}`}>
      <div className="code-block-copy">
        <CopyButton text={text} label={`Copy: ${label}`} />
      </div>
      {/* Scrollable, so it must take the focus. */}
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </div>
  );
}
