import './app/base.css';
import './app/tokens.ts';
import { createRoot } from 'react-dom/client';
import { applyAppearance } from './app/appearance.ts';
import { describeServer } from './aws/describe.ts';
import { Shell } from './app/shell.tsx';

applyAppearance();
void describeServer();
createRoot(document.getElementById('root')!).render(<Shell />);
