import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';

export interface Tag {
  key: string;
  value: string;
}

export function TagFields({ tags, onChange }: { tags: Tag[]; onChange: (tags: Tag[]) => void }) {
  const replace = (at: number, part: Partial<Tag>) => onChange(tags.map((each, index) => (index === at ? { ...each, ...part } : each)));
  return (
    <SpaceBetween size="xs">
      {tags.map((tag, at) => (
        <div className="key-row" key={at}>
          <div className="tag-field">
            <Input value={tag.key} ariaLabel={`Key of tag ${at + 1}`} placeholder="Key" onChange={({ detail }) => replace(at, { key: detail.value })} />
            <Input
              value={tag.value}
              ariaLabel={`Value of tag ${at + 1}`}
              placeholder="Value"
              onChange={({ detail }) => replace(at, { value: detail.value })}
            />
          </div>
          <Button
            variant="icon"
            iconName="close"
            ariaLabel={`Remove tag ${tag.key}`}
            onClick={() => onChange(tags.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <Button variant="inline-link" iconName="add-plus" onClick={() => onChange([...tags, { key: '', value: '' }])}>
        Add tag
      </Button>
    </SpaceBetween>
  );
}
