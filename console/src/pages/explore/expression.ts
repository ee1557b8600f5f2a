/** Expressions with placeholders: each name and each value is one, so that no name needs to be a word of the language. */
import type { AttributeValue, Path } from '../../values/index.ts';

export class Placeholders {
  private readonly names = new Map<string, string>();
  private readonly values = new Map<string, { placeholder: string; value: AttributeValue }>();

  name(name: string): string {
    let placeholder = this.names.get(name);
    if (!placeholder) {
      placeholder = `#n${this.names.size}`;
      this.names.set(name, placeholder);
    }
    return placeholder;
  }

  path(path: Path): string {
    return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : (at ? '.' : '') + this.name(part))).join('');
  }

  /** Values of the same text share a placeholder. */
  value(value: AttributeValue): string {
    const key = JSON.stringify(value);
    let kept = this.values.get(key);
    if (!kept) {
      kept = { placeholder: `:v${this.values.size}`, value };
      this.values.set(key, kept);
    }
    return kept.placeholder;
  }

  /** The members of a request; absent where nothing was named. */
  members(): { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: Record<string, AttributeValue> } {
    return {
      ...(this.names.size && { ExpressionAttributeNames: Object.fromEntries([...this.names].map(([name, placeholder]) => [placeholder, name])) }),
      ...(this.values.size && {
        ExpressionAttributeValues: Object.fromEntries([...this.values.values()].map(({ placeholder, value }) => [placeholder, value])),
      }),
    };
  }
}
