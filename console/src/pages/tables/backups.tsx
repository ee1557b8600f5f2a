/** The backups of a table: what this server has, and what it has instead of AWS's. */
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { CodeBlock } from '../../components/index.ts';
import type { Extras } from './overview.tsx';

const word = (status: string | undefined) => (status === undefined ? 'unknown' : status === 'ENABLED' ? 'On' : 'Off');

export function Backups({ extras }: { extras: Extras | undefined }) {
  const recovery = extras?.backups?.PointInTimeRecoveryDescription;
  return (
    <SpaceBetween size="l">
      <Container header={<Header variant="h2">Continuous backups</Header>}>
        <KeyValuePairs columns={2} items={[{ label: 'Recovery to a point in time', value: extras ? word(recovery?.PointInTimeRecoveryStatus) : '…' }]} />
      </Container>
      <Container header={<Header variant="h2">Backups of the store</Header>}>
        <SpaceBetween size="s">
          <Box>
            Partita does not serve backups of single tables: CreateBackup, RestoreTableFromBackup and UpdateContinuousBackups are refused. Back up the store with all
            its tables instead. The server may run meanwhile:
          </Box>
          <CodeBlock text={'partita backup STORE BACKUPS --keep 14'} label="Command" />
        </SpaceBetween>
      </Container>
    </SpaceBetween>
  );
}
