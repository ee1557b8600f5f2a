/** The request that a form or a page sends, as code of several languages. */
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import { useMemo } from 'react';
import { endpoint, region, useSession } from '../aws/session.ts';
import { cli, cloudFormation, javascript3, python3, type Request, type TableExtras } from '../codegen/index.ts';
import { PersistedStore, useStore } from '../app/store.ts';
import { CodeBlock } from './code_block.tsx';

export type Language = 'cli' | 'python' | 'javascript' | 'cloudformation' | 'json';

const NAMES: Record<Language, string> = {
  cli: 'CLI',
  python: 'Python',
  javascript: 'JavaScript',
  cloudformation: 'CloudFormation',
  json: 'JSON',
};

const chosen = new PersistedStore<Language>('language', 'cli');

/** The input of CreateTable, and what other calls add to the table. */
export interface Template {
  input: object;
  extras?: TableExtras;
}

interface Props {
  /** One request, or those that are sent one after the other. */
  request: Request | Request[];
  /** For CloudFormation. Without it, the template is that of the CreateTables among the requests. */
  template?: Template;
  languages?: Language[];
  /** Folded behind a heading instead of open. */
  folded?: boolean;
  height?: 'short' | 'tall';
}

export function RequestPreview({ request, template, languages, folded, height }: Props) {
  const session = useSession();
  const language = useStore(chosen);
  const requests = Array.isArray(request) ? request : [request];
  const offered: Language[] =
    languages ??
    (template || requests.some((each) => each.operation === 'CreateTable')
      ? ['cli', 'cloudformation', 'python', 'javascript', 'json']
      : ['cli', 'python', 'javascript', 'json']);
  const active = offered.includes(language) ? language : offered[0]!;
  const target = { endpoint: endpoint(), region: region(session) };
  const text = useMemo(
    () => render(active, requests, target, template),
    [active, JSON.stringify(requests), target.endpoint, target.region, JSON.stringify(template)],
  );
  const code = (
    <div className="request-preview">
      <SegmentedControl
        label="Language"
        selectedId={active}
        onChange={({ detail }) => chosen.set(detail.selectedId as Language)}
        options={offered.map((id) => ({ id, text: NAMES[id] }))}
      />
      <CodeBlock text={text} label={`Request as ${NAMES[active]}`} height={height} />
    </div>
  );
  return folded ? <ExpandableSection headerText="Request as code">{code}</ExpandableSection> : code;
}

function render(language: Language, requests: Request[], target: { endpoint: string; region: string }, template?: Template): string {
  switch (language) {
    case 'cli':
      return requests.map((each) => cli(each, target)).join('\n\n');
    case 'python':
      return python3(requests, target);
    case 'javascript':
      return javascript3(requests, target);
    case 'cloudformation':
      return cloudFormation(template ? [template] : requests.filter((each) => each.operation === 'CreateTable').map(({ input }) => ({ input })));
    case 'json':
      return requests.map((each) => JSON.stringify(each.input, null, 2)).join('\n\n');
  }
}
