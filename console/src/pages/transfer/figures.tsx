/** Figures beside each other, the name above each. */
export function Figures({ figures }: { figures: [name: string, value: string][] }) {
  return (
    <div className="transfer-figures">
      {figures.map(([name, value]) => (
        <div key={name} className="transfer-figure">
          <span>{name}</span>
          <b>{value}</b>
        </div>
      ))}
    </div>
  );
}
