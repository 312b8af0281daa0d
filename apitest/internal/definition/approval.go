package definition

import (
	"fmt"
	"net/url"
	"strings"
)

// approvedAnnotation is required for definitions in groups of the Kubernetes
// community.
const approvedAnnotation = "api-approved.kubernetes.io"

// isProtected reports whether a group belongs to the Kubernetes community.
func isProtected(group string) bool {
	for _, domain := range []string{"k8s.io", "kubernetes.io"} {
		if group == domain || strings.HasSuffix(group, "."+domain) {
			return true
		}
	}
	return false
}

// approval returns the status, reason and message of the condition for the
// annotation.
func (d *Definition) approval() (status, reason, message string) {
	given := d.Metadata.Annotations[approvedAnnotation]
	const see = "see https://github.com/kubernetes/enhancements/pull/1111"
	if given == "" {
		return "False", "MissingAnnotation", fmt.Sprintf("protected groups must have approval annotation %q, "+see, approvedAnnotation)
	}
	if strings.HasPrefix(given, "unapproved") {
		return "False", "UnapprovedAnnotation", fmt.Sprintf("not approved: %q", given)
	}
	if at, err := url.ParseRequestURI(given); err == nil && at.Host != "" && at.Scheme != "" {
		return "True", "ApprovedAnnotation", fmt.Sprintf("approved in %v", given)
	}
	return "False", "InvalidAnnotation", fmt.Sprintf("protected groups must have approval annotation %q with either a URL or a reason starting with \"unapproved\", "+see, approvedAnnotation)
}

// UpdateApproval sets the condition for the annotation, and reports whether it
// has changed.
func (d *Definition) UpdateApproval() bool {
	if !isProtected(d.Spec.Group) {
		return false
	}
	status, reason, message := d.approval()
	return d.SetCondition(Condition{Type: "KubernetesAPIApprovalPolicyConformant", Status: status, Reason: reason, Message: message})
}
