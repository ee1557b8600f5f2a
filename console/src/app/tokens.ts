/** Cloudscape's design tokens under short names, for our own style sheet: var(--text), var(--border), … */
// Those of the components themselves: the package of design tokens has other names whenever it is older or newer.
import * as token from '#cloudscape-tokens';

const names: Record<string, string> = {
  '--text': token.colorTextBodyDefault,
  '--text-secondary': token.colorTextBodySecondary,
  '--text-empty': token.colorTextEmpty,
  '--text-heading': token.colorTextHeadingDefault,
  '--link': token.colorTextLinkDefault,
  '--accent': token.colorTextAccent,
  '--background': token.colorBackgroundLayoutMain,
  '--background-container': token.colorBackgroundContainerContent,
  '--background-header': token.colorBackgroundContainerHeader,
  '--background-code': token.colorBackgroundCodeView,
  '--background-selected': token.colorBackgroundItemSelected,
  '--background-hover': token.colorBackgroundDropdownItemHover,
  '--background-shaded': token.colorBackgroundCellShaded,
  '--background-input': token.colorBackgroundInputDefault,
  '--border': token.colorBorderDividerDefault,
  '--border-secondary': token.colorBorderDividerSecondary,
  '--border-input': token.colorBorderInputDefault,
  '--border-focus': token.colorBorderItemFocused,
  '--border-selected': token.colorBorderItemSelected,
  '--success': token.colorTextStatusSuccess,
  '--error': token.colorTextStatusError,
  '--warning': token.colorTextStatusWarning,
  '--info': token.colorTextStatusInfo,
  '--mono': token.fontFamilyMonospace,
  '--sans': token.fontFamilyBase,
};

// On the body, where the class for dark mode is: the tokens are resolved there.
for (const [name, value] of Object.entries(names)) document.body.style.setProperty(name, value);
