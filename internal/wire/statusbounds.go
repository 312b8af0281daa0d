package wire

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/brief"
)

const (
	// maxMessageLen bounds the message of a Status, in bytes. A longer one is cut,
	// and ends in "...". doc.go documents the number.
	maxMessageLen = 4096
	// maxStatusTextLen bounds the other texts of a Status: reasons, names, fields.
	maxStatusTextLen = 512
	// maxCauses bounds the causes of a Status.
	maxCauses = 64
)

// truncateStatus cuts the texts of a Status from a server. This bounds errors,
// logs, states and pages that quote it.
func truncateStatus(status *metav1.Status) *metav1.Status {
	status.Message = brief.Text(status.Message, maxMessageLen)
	status.Status = brief.Text(status.Status, maxStatusTextLen)
	status.Reason = metav1.StatusReason(brief.Text(string(status.Reason), maxStatusTextLen))
	details := status.Details
	if details == nil {
		return status
	}
	for _, text := range []*string{&details.Name, &details.Group, &details.Kind, (*string)(&details.UID)} {
		*text = brief.Text(*text, maxStatusTextLen)
	}
	if len(details.Causes) > maxCauses {
		details.Causes = append([]metav1.StatusCause(nil), details.Causes[:maxCauses]...)
	}
	for i := range details.Causes {
		cause := &details.Causes[i]
		cause.Type = metav1.CauseType(brief.Text(string(cause.Type), maxStatusTextLen))
		cause.Field = brief.Text(cause.Field, maxStatusTextLen)
		cause.Message = brief.Text(cause.Message, maxMessageLen)
	}
	return status
}
