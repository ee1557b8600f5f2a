/** A page's frame: heading, actions, content. */
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';

interface Props {
  title: ReactNode;
  /** A number beside the title, as "(12)". */
  counter?: string;
  description?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, counter, description, actions, children }: Props) {
  return (
    <ContentLayout
      header={
        <Header
          variant="h1"
          counter={counter}
          description={description}
          actions={actions && <div className="actions">{actions}</div>}
        >
          {title}
        </Header>
      }
    >
      <SpaceBetween size="l">{children}</SpaceBetween>
    </ContentLayout>
  );
}
