import StatusIndicator from '@cloudscape-design/components/status-indicator';

const TYPES: Record<string, 'success' | 'in-progress' | 'error' | 'pending'> = {
  ACTIVE: 'success',
  CREATING: 'in-progress',
  UPDATING: 'in-progress',
  DELETING: 'in-progress',
  ENABLED: 'success',
  ENABLING: 'in-progress',
  DISABLING: 'in-progress',
};

const WORDS: Record<string, string> = {
  ACTIVE: 'Active', CREATING: 'Creating', UPDATING: 'Updating', DELETING: 'Deleting',
  ENABLED: 'On', ENABLING: 'Turning on', DISABLING: 'Turning off', DISABLED: 'Off',
};

export function Status({ status }: { status: string | undefined }) {
  if (!status) return null;
  return <StatusIndicator type={TYPES[status] ?? (status === 'DISABLED' ? 'stopped' : 'pending')}>{WORDS[status] ?? status}</StatusIndicator>;
}
