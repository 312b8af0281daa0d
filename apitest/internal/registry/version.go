package registry

// The version of the kube-apiserver that the server behaves like.
const (
	KubernetesMajor = "1"
	KubernetesMinor = "37"
	// PreviousKubernetesMinor is the oldest minor version with which it is compatible.
	PreviousKubernetesMinor = "36"
	KubernetesVersion       = "v" + KubernetesMajor + "." + KubernetesMinor + ".2"
)
