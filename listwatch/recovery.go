package listwatch

import "github.com/thinformer/thinformer/rest"

// Recovery and the related types are those of package rest. A Recovery is the
// state that the informers of one server share about whether the server
// responds.
type (
	Recovery       = rest.Recovery
	RecoveryMember = rest.RecoveryMember
	RequestKind    = rest.RequestKind
	RequestFailure = rest.RequestFailure
)

// The kinds of failures that affect all informers of a server.
const (
	FailureNoResponse = rest.FailureNoResponse
	FailureTruncated  = rest.FailureTruncated
	FailureRejected   = rest.FailureRejected
)

// Recoverable is implemented by a source whose readers recover together with
// those of other sources of the same server, such as a [rest.View]. Readers of
// other sources recover independently.
type Recoverable interface {
	// Recovery returns the shared state; nil if nothing is shared.
	Recovery() *Recovery
}

var (
	_ Recoverable = (*ListWatch[int])(nil)
	_ Recoverable = (*rest.View[*rest.SlimMeta])(nil)
)

// Recovery returns the Recovery of the wrapped source if it has one, and
// SharedRecovery otherwise.
func (lw *ListWatch[T]) Recovery() *Recovery {
	if shared, ok := lw.source.(Recoverable); ok {
		return shared.Recovery()
	}
	return lw.SharedRecovery
}
