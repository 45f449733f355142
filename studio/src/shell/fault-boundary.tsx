import { Component, type ReactNode } from 'react';
import { ErrorNotice } from '../ui/states';

/** Shows an error of a page in its place, instead of an empty window. Another page resets it. */
export class FaultBoundary extends Component<{ place: string; children: ReactNode }, { fault?: unknown; place?: string }> {
  override state: { fault?: unknown; place?: string } = {};

  static getDerivedStateFromError(fault: unknown): { fault: unknown } {
    return { fault };
  }

  static getDerivedStateFromProps(
    { place }: { place: string },
    state: { fault?: unknown; place?: string },
  ): { fault?: unknown; place: string } | null {
    return state.place === place ? null : { fault: undefined, place };
  }

  override render(): ReactNode {
    if (this.state.fault === undefined) return this.props.children;
    return (
      <div className="page">
        <div className="page-body">
          <ErrorNotice error={this.state.fault} tried="show this page" onRetry={() => location.reload()} />
        </div>
      </div>
    );
  }
}
