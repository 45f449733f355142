import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { UnauthenticatedError } from '../../../clients/js/src/errors';
import { Login } from '../shell/login';
import { Opening } from '../shell/opening';
import { openUsual, readSession } from './session';

const NO_TENANT = new Error('Your account may use no tenant that exists; ask the operator of this server.');

/** Opens a tenant of the person who is signed in, or asks for a sign-in. */
export function PersonDoor() {
  const { data, error } = useQuery({ queryKey: ['session'], queryFn: ({ signal }) => readSession('', signal), gcTime: 0 });
  useEffect(() => data && openUsual(data), [data]);
  if (data && data.tenants.length === 0) return <Login fault={NO_TENANT} />;
  if (!error) return <Opening />;
  return <Login fault={error instanceof UnauthenticatedError ? undefined : error} />;
}
