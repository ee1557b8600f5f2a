/** The form of a vector search: the vector, how many items, and values of the index's filters. */
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { TextEditor } from '../../components/index.ts';
import { type ConditionProps, OperandValue, shownFault } from './condition_form.tsx';
import { emptySearch, schemaOf, type Search, whereOf } from './search.ts';

export function SearchForm(props: ConditionProps & { onRun: () => void }) {
  const { view, target, onChange, onRun } = props;
  const search = view.search ?? emptySearch();
  const set = (part: Partial<Search>) => onChange({ search: { ...search, ...part } });
  const shown = (field: string, text: string) => shownFault(props, field, text);
  const { vector } = target;
  return (
    <div className="search-form">
      <FormField
        label="Vector"
        description={vector && `${vector.dimensions} numbers, compared with ${vector.attribute} by ${vector.distance}.`}
        errorText={shown('vector', search.vector)}
        stretch
      >
        <TextEditor label="Vector" rows={3} value={search.vector} invalid={!!shown('vector', search.vector)} onChange={(text) => set({ vector: text })} onRun={onRun} />
      </FormField>
      <div className="search-options">
        <FormField label="Items" description="The nearest, up to 100." errorText={shown('top', search.top)}>
          <Input value={search.top} inputMode="numeric" autoComplete={false} onChange={({ detail }) => set({ top: detail.value.trim() })} />
        </FormField>
        {schemaOf(target).map((attribute) => {
          const needed = target.partition.includes(attribute);
          const text = whereOf(search, attribute.name);
          return (
            <FormField
              key={attribute.name}
              label={<>{attribute.name} <span className="type-tag">{attribute.type}</span></>}
              description={needed ? 'Partition: needed.' : 'Equal to; empty: any.'}
            >
              <OperandValue
                attribute={attribute}
                text={text}
                label={`${attribute.name} =`}
                fault={shown(attribute.name, text)}
                onChange={(value) => set({ where: [...search.where.filter(([name]) => name !== attribute.name), [attribute.name, value]] })}
              />
            </FormField>
          );
        })}
      </div>
    </div>
  );
}
