import Flashbar from '@cloudscape-design/components/flashbar';
import { dismiss, type Notice } from './notices.ts';
import { follow } from './router.ts';

export default function NoticeBar({ list }: { list: Notice[] }) {
  return (
    <div className="notices">
      <Flashbar
        items={list.map((each) => ({
          id: each.id,
          type: each.type === 'in-progress' ? 'info' : each.type,
          loading: each.type === 'in-progress',
          header: each.header,
          content: each.link ? (
            <>
              {each.content}{' '}
              <a href={each.link.href} onClick={(event) => follow(Object.assign(event, { detail: { href: each.link!.href } }) as never)}>
                {each.link.text}
              </a>
            </>
          ) : (
            each.content
          ),
          dismissible: true,
          dismissLabel: 'Dismiss',
          onDismiss: () => dismiss(each.id),
        }))}
      />
    </div>
  );
}
