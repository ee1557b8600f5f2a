/** A dialog that changes a table: beside the requests, the CloudFormation template of the table after them. */
import { createContext, useContext } from 'react';
import type { TableDescription } from '../../aws/index.ts';
import { ChangeDialog, type ChangeDialogProps } from '../../components/index.ts';
import { type Known, templateAfter } from './template.ts';

/** What calls besides DescribeTable said of the table. */
export const KnownOfTable = createContext<Known>({ tags: [], insights: [] });

export function TableDialog({ table, ...props }: ChangeDialogProps & { table: TableDescription }) {
  const known = useContext(KnownOfTable);
  return <ChangeDialog {...props} template={templateAfter(table, known, props.requests)} />;
}
