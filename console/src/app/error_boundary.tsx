/** A fault of one page leaves the rest of the console usable. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import { Component, type ReactNode } from 'react';

interface Props {
  /** A change shows the page again. */
  resetKey: string;
  children: ReactNode;
}

export class ErrorBoundary extends Component<Props, { error?: Error; of?: string }> {
  override state: { error?: Error; of?: string } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  static getDerivedStateFromProps(props: Props, state: { error?: Error; of?: string }) {
    return state.of === props.resetKey ? null : { of: props.resetKey, error: undefined };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    const stale = /dynamically imported module|module script|preload CSS/i.test(error.message);
    return (
      <Alert
        type="error"
        header={stale ? 'This part of the console could not be loaded' : 'This page failed'}
        action={<Button onClick={() => location.reload()}>Reload</Button>}
      >
        {stale ? 'Either the server does not answer, or it was updated and has other files now. Reload to find out.' : error.message}
      </Alert>
    );
  }
}
