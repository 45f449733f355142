import { buildSchema, isEnumType, isInputObjectType, isObjectType, isSpecifiedScalarType } from 'graphql';
import { ENDPOINTS } from '../../src/common/auth/scopes.js';
import { printedSchema } from '../../scripts/schemas.mjs';

interface Described {
  name: string;
  description?: string | null;
}

describe('the schema of', () => {
  it.each(ENDPOINTS)('%s describes every type, field, argument, input field and value', (service) => {
    const types = Object.values(buildSchema(printedSchema(service)).getTypeMap());
    const missing: string[] = [];
    const look = (path: string, { description }: Described) => void (description?.trim() || missing.push(path));
    for (const type of types.filter((one) => !one.name.startsWith('__') && !isSpecifiedScalarType(one))) {
      look(type.name, type);
      if (isEnumType(type)) for (const value of type.getValues()) look(`${type.name}.${value.name}`, value);
      if (!isObjectType(type) && !isInputObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        look(`${type.name}.${field.name}`, field);
        if ('args' in field) for (const argument of field.args) look(`${type.name}.${field.name}(${argument.name})`, argument);
      }
    }
    expect(missing).toEqual([]);
  });
});
