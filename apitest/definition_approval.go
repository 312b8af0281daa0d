package apitest

import (
	"fmt"
	"net/url"
	"strings"
)

// approvedAnnotation is what a definition in a group of Kubernetes' own needs.
const approvedAnnotation = "api-approved.kubernetes.io"

// isProtected is whether a group belongs to the Kubernetes community.
func isProtected(group string) bool {
	for _, domain := range []string{"k8s.io", "kubernetes.io"} {
		if group == domain || strings.HasSuffix(group, "."+domain) {
			return true
		}
	}
	return false
}

// approval is how a definition stands to that: the status and reason of its
// condition, and the message of it.
func (d *definition) approval() (status, reason, message string) {
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

// judgeApproval says in a condition how the definition stands, and reports
// whether that is any news.
func (d *definition) judgeApproval() bool {
	if !isProtected(d.Spec.Group) {
		return false
	}
	status, reason, message := d.approval()
	return d.setCondition(definitionCondition{Type: "KubernetesAPIApprovalPolicyConformant", Status: status, Reason: reason, Message: message})
}
