package objects

import (
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func clusterObjects() []runtime.Object {
	return []runtime.Object{
		endpointSlice(), ingress(), networkPolicy(), storageClass(), lease(), newEvent(), role(), clusterRoleBinding(), webhook(), priorityClass(), flowSchema(),
	}
}

func endpointSlice() *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		TypeMeta: metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"}, ObjectMeta: owned("shop", "cart-x7x2p", "v1", "Service", "cart"), AddressType: "IPv4",
		Endpoints: []discoveryv1.Endpoint{
			{Addresses: []string{"10.64.0.1"}, Conditions: discoveryv1.EndpointConditions{Ready: point(true), Serving: point(true), Terminating: point(false)}, NodeName: point("node-001"), Zone: point("eu-west-1a"),
				TargetRef: &corev1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: "cart-0", UID: UID("shop", "cart-0")}, Hints: &discoveryv1.EndpointHints{ForZones: []discoveryv1.ForZone{{Name: "eu-west-1a"}}}},
			{Addresses: nil},
		},
		Ports: []discoveryv1.EndpointPort{{Name: point(""), Protocol: point(corev1.ProtocolTCP), Port: point[int32](8080)}, {}},
	}
}

func ingress() *networkingv1.Ingress {
	backend := networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "cart", Port: networkingv1.ServiceBackendPort{Name: "http"}}}
	i := &networkingv1.Ingress{TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "Ingress"}, ObjectMeta: meta("shop", "shop")}
	i.Annotations["nginx.ingress.kubernetes.io/configuration-snippet"] = "if ($http_x ~ \"<b>\") {\n\treturn 403;\n}\n"
	i.Spec = networkingv1.IngressSpec{IngressClassName: point("nginx"), DefaultBackend: &backend, TLS: []networkingv1.IngressTLS{{Hosts: []string{"shop.example.com", "*.shop.example.com"}, SecretName: "tls"}},
		Rules: []networkingv1.IngressRule{{Host: "shop.example.com", IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{
			{Path: "/cart", PathType: point(networkingv1.PathTypePrefix), Backend: backend}}}}}}}
	i.Status.LoadBalancer.Ingress = []networkingv1.IngressLoadBalancerIngress{{Hostname: "lb.example.com", Ports: []networkingv1.IngressPortStatus{{Port: 443, Protocol: "TCP"}}}}
	return i
}

func networkPolicy() *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"}, ObjectMeta: meta("shop", "cart"),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: *selector("cart"), PolicyTypes: []networkingv1.PolicyType{"Ingress", "Egress"},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{From: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{}}, {IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8", Except: []string{"10.1.0.0/16"}}}},
				Ports: []networkingv1.NetworkPolicyPort{{Protocol: point(corev1.ProtocolTCP), Port: point(intstr.FromString("http"))}, {Port: point(intstr.FromInt32(32000)), EndPort: point[int32](32768)}}}},
			Egress: []networkingv1.NetworkPolicyEgressRule{{}},
		},
	}
}

func storageClass() *storagev1.StorageClass {
	return &storagev1.StorageClass{
		TypeMeta: metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"}, ObjectMeta: meta("", "gp3"), Provisioner: "ebs.csi.aws.com",
		Parameters: map[string]string{"type": "gp3", "iops": "3000"}, ReclaimPolicy: point(corev1.PersistentVolumeReclaimDelete), MountOptions: []string{"noatime"}, AllowVolumeExpansion: point(true), VolumeBindingMode: point(storagev1.VolumeBindingWaitForFirstConsumer),
		AllowedTopologies: []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: "topology.kubernetes.io/zone", Values: []string{"eu-west-1a"}}}}},
	}
}

func lease() *coordinationv1.Lease {
	acquired, renewed := microAt(0), metav1.NewMicroTime(epoch.Add(time.Hour)) // with a fraction and without
	return &coordinationv1.Lease{
		TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}, ObjectMeta: meta("kube-node-lease", "node-001"),
		Spec: coordinationv1.LeaseSpec{HolderIdentity: point("node-001"), LeaseDurationSeconds: point[int32](40), AcquireTime: &acquired, RenewTime: &renewed, LeaseTransitions: point[int32](0)},
	}
}

// newEvent returns an event of the group events.k8s.io.
func newEvent() *eventsv1.Event {
	return &eventsv1.Event{
		TypeMeta: metav1.TypeMeta{APIVersion: "events.k8s.io/v1", Kind: "Event"}, ObjectMeta: meta("shop", "cart.18a5c3"), EventTime: microAt(time.Minute),
		Series: &eventsv1.EventSeries{Count: 2, LastObservedTime: microAt(time.Hour)}, ReportingController: "scheduler", ReportingInstance: "scheduler-0", Action: "Binding", Reason: "Scheduled",
		Regarding: corev1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: "cart-0"}, Note: "Successfully assigned shop/cart-0 to node-001", Type: "Normal", DeprecatedCount: 2,
	}
}

func role() *rbacv1.Role {
	return &rbacv1.Role{
		TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role"}, ObjectMeta: meta("shop", "reader"),
		Rules: []rbacv1.PolicyRule{{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{"", "apps"}, Resources: []string{"pods", "deployments/scale"}, ResourceNames: []string{"cart"}}, {Verbs: nil}},
	}
}

func clusterRoleBinding() *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRoleBinding"}, ObjectMeta: meta("", "system:readers"),
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "cart", Namespace: "shop"}, {Kind: "Group", APIGroup: "rbac.authorization.k8s.io", Name: "system:authenticated"}},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "view"},
	}
}

func webhook() *admissionv1.ValidatingWebhookConfiguration {
	return &admissionv1.ValidatingWebhookConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration"}, ObjectMeta: meta("", "shop"),
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "carts.shop.example.com", SideEffects: point(admissionv1.SideEffectClassNone), FailurePolicy: point(admissionv1.Fail), MatchPolicy: point(admissionv1.Equivalent), TimeoutSeconds: point[int32](10), AdmissionReviewVersions: []string{"v1"},
			ClientConfig:      admissionv1.WebhookClientConfig{CABundle: []byte("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"), Service: &admissionv1.ServiceReference{Namespace: "shop", Name: "webhook", Path: point("/validate?strict=true&x=<y>"), Port: point[int32](443)}},
			Rules:             []admissionv1.RuleWithOperations{{Operations: []admissionv1.OperationType{"CREATE", "*"}, Rule: admissionv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"v1"}, Resources: []string{"carts"}, Scope: point(admissionv1.NamespacedScope)}}},
			MatchConditions:   []admissionv1.MatchCondition{{Name: "not-system", Expression: `!("system:nodes" in request.userInfo.groups) && object.spec.size >= 1.5e2`}},
			NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "kubernetes.io/metadata.name", Operator: "NotIn", Values: []string{"kube-system"}}}},
			ObjectSelector:    &metav1.LabelSelector{},
		}},
	}
}

func priorityClass() *schedulingv1.PriorityClass {
	return &schedulingv1.PriorityClass{TypeMeta: metav1.TypeMeta{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass"}, ObjectMeta: meta("", "lowest"), Value: -2147483648, GlobalDefault: true, PreemptionPolicy: point(corev1.PreemptNever)}
}

func flowSchema() *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		TypeMeta: metav1.TypeMeta{APIVersion: "flowcontrol.apiserver.k8s.io/v1", Kind: "FlowSchema"}, ObjectMeta: meta("", "catch-all"),
		Spec: flowcontrolv1.FlowSchemaSpec{PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "catch-all"}, MatchingPrecedence: 10000, DistinguisherMethod: &flowcontrolv1.FlowDistinguisherMethod{Type: "ByUser"},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{Subjects: []flowcontrolv1.Subject{{Kind: "Group", Group: &flowcontrolv1.GroupSubject{Name: "system:unauthenticated"}}},
				NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}}}}}},
	}
}
