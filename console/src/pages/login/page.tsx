/** /console/login: the same form, for a bookmark. */
import { useEffect } from 'react';
import { useSession } from '../../aws/session.ts';
import { href, navigate } from '../../app/router.ts';
import Login from './login.tsx';

export default function LoginPage() {
  const { server, credentials } = useSession();
  const done = server?.Mode === 'open' || credentials !== undefined;
  useEffect(() => {
    if (done) navigate(href('tables'), { replace: true });
  }, [done]);
  return done ? null : <Login />;
}
