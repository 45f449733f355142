import type { Right } from '../../api/scope';

export const mayQuery = (operation: string): Right => ['file-management', 'query', operation];
export const mayChange = (operation: string): Right => ['file-management', 'mutation', operation];
