/** The first rows of a file, as they would be written. The columns of a CSV file get their types here. */
import Alert from '@cloudscape-design/components/alert';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMemo } from 'react';
import { formatCount, plural, ValueCell } from '../../components/index.ts';
import { Grid, type GridColumn } from '../../components/grid.tsx';
import { own, TYPE_NAMES, TYPES, type TypeTag, typeOf } from '../../values/index.ts';
import type { CsvColumn } from './csv.ts';
import type { Format } from './formats.ts';
import type { PreviewRow } from './messages.ts';

export interface Preview {
  format: Format;
  rows: PreviewRow[];
  /** Of CSV. */
  columns?: CsvColumn[];
}

interface Props {
  preview: Preview;
  /** Whether the table is chosen, and its keys are known. */
  known: boolean;
  /** Types of key attributes, which nobody can choose. */
  declared: Record<string, TypeTag>;
  chosen: Record<string, TypeTag>;
  onType?: (column: string, type: TypeTag) => void;
}

const WHOLE = 100;

/** Each attribute of the rows, once for each type that it has. */
function attributesOf({ rows, columns = [] }: Preview, chosen: Record<string, TypeTag>) {
  const found = new Map<string, Set<TypeTag>>(columns.map(({ name }) => [name, new Set()]));
  for (const { item } of rows) for (const name in item) found.set(name, (found.get(name) ?? new Set()).add(typeOf(item[name]!)));
  for (const { name, type } of columns) if (!found.get(name)!.size) found.get(name)!.add(type ?? (Object.hasOwn(chosen, name) ? chosen[name]! : 'S'));
  return [...found].flatMap(([name, types]) => [...types].map((type, at) => ({ name, type, id: at ? `${name}:${type}` : name })));
}

export function PreviewGrid({ preview, known, declared, chosen, onType }: Props) {
  const { rows } = preview;
  const columns = useMemo((): GridColumn[] => {
    const untyped = new Set(preview.columns?.filter(({ name, type }) => !type && !Object.hasOwn(declared, name)).map((each) => each.name));
    return [
      { id: '#', header: 'Row', width: 64, sticky: true, align: 'right', render: (row) => <span className="tabular">{rows[row]!.row}</span> },
      ...(rows.some((each) => each.fault) ? [{ id: '!', header: 'Why it is refused', width: 380, render: (row: number) => <span title={rows[row]!.fault}>{rows[row]!.fault}</span> }] : []),
      ...attributesOf(preview, chosen).map(({ name, type, id }) => ({
        id: `=${id}`,
        header: (
          <>
            {name}
            {onType && untyped.has(name) ? (
              <select
                className="column-type"
                value={type}
                aria-label={`Type of column ${name}`}
                onKeyDown={(event) => event.stopPropagation()}
                onChange={(event) => onType(name, event.target.value as TypeTag)}
              >
                {TYPES.map((each) => (
                  <option key={each} value={each}>
                    {TYPE_NAMES[each]}
                  </option>
                ))}
              </select>
            ) : (
              <span className="value">
                <i>:{type}</i>
              </span>
            )}
          </>
        ),
        label: `${name}:${type}`,
        width: 180,
        align: type === 'N' ? ('right' as const) : undefined,
        render: (row: number) => {
          const value = own(rows[row]!.item, name);
          return value && typeOf(value) === type ? <ValueCell value={value} /> : null;
        },
      })),
    ];
  }, [preview, declared, chosen, onType]);
  const bad = rows.filter((each) => each.fault).length;
  return (
    <Container
      header={
        <Header variant="h2" description={known ? undefined : 'Choose a table to check keys too.'} counter={rows.length < WHOLE ? `(${formatCount(rows.length)})` : `(first ${WHOLE} rows)`}>
          Preview
        </Header>
      }
    >
      <SpaceBetween size="s">
        {bad > 0 && <Alert type="warning">{plural('row', bad)} of these would be refused. The others can be imported.</Alert>}
        <Grid label="Rows of the file" columns={columns} rowCount={rows.length} height={`${Math.min(360, 58 + rows.length * 28)}px`} rowClass={(row) => (rows[row]!.fault ? 'transfer-fault' : undefined)} empty="The file has no rows." />
      </SpaceBetween>
    </Container>
  );
}
