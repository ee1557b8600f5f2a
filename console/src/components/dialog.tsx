/** A dialog with a button that acts, and Cancel beside it. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useRef } from 'react';
import { useFocus } from './use_focus.ts';

interface Props {
  title: string;
  /** The button that acts, if there is one. */
  action?: ReactNode;
  closeText?: string;
  size?: 'medium' | 'large';
  onClose: () => void;
  children?: ReactNode;
}

export function Dialog({ title, action, closeText = 'Cancel', size, onClose, children }: Props) {
  const body = useRef<HTMLDivElement>(null);
  const field = useRef({ focus: () => body.current?.querySelector<HTMLElement>('input:is([type=text], [type=number]), textarea')?.focus() });
  useFocus(field);
  return (
    <Modal
      visible
      size={size}
      header={title}
      onDismiss={onClose}
      closeAriaLabel="Close"
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={onClose}>
              {closeText}
            </Button>
            {action}
          </SpaceBetween>
        </Box>
      }
    >
      <div ref={body}>
        <SpaceBetween size="m">{children}</SpaceBetween>
      </div>
    </Modal>
  );
}
