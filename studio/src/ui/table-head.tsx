/** The heads of a table. */
export const TableHead = ({ of }: { of: readonly string[] }) => (
  <thead>
    <tr>
      {of.map((word) => (
        <th key={word} scope="col">
          {word}
        </th>
      ))}
    </tr>
  </thead>
);
