package objects

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func apps(kind string) metav1.TypeMeta  { return metav1.TypeMeta{APIVersion: "apps/v1", Kind: kind} }
func batch(kind string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: "batch/v1", Kind: kind} }

func workloads() []runtime.Object {
	return []runtime.Object{
		deployment(), statefulSet(), daemonSet(), replicaSet(), controllerRevision(), job(), cronJob(), autoscaler(), disruptionBudget(),
	}
}

func selector(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// podTemplate returns the template of a controller's pods; its creation time is null.
func podTemplate(app string) corev1.PodTemplateSpec {
	spec := podSpec(app, 1, 1)
	spec.NodeName = ""
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}}, Spec: spec}
}

func deployment() *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta: apps("Deployment"), ObjectMeta: meta("shop", "cart"),
		Spec: appsv1.DeploymentSpec{
			Replicas: point[int32](3), Selector: selector("cart"), Template: podTemplate("cart"), RevisionHistoryLimit: point[int32](10), ProgressDeadlineSeconds: point[int32](600),
			Strategy: appsv1.DeploymentStrategy{Type: "RollingUpdate", RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: point(intstr.FromInt32(0)), MaxSurge: point(intstr.FromString("25%"))}},
		},
		Status: appsv1.DeploymentStatus{ObservedGeneration: 7, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3, AvailableReplicas: 3, Conditions: []appsv1.DeploymentCondition{
			{Type: "Available", Status: "True", LastUpdateTime: at(time.Hour), LastTransitionTime: at(time.Hour), Reason: "MinimumReplicasAvailable", Message: "Deployment has minimum availability."}}},
	}
}

func statefulSet() *appsv1.StatefulSet {
	claim := *persistentVolumeClaim()
	claim.TypeMeta, claim.ObjectMeta, claim.Status = metav1.TypeMeta{}, metav1.ObjectMeta{Name: "data"}, corev1.PersistentVolumeClaimStatus{Phase: "Pending"}
	return &appsv1.StatefulSet{
		TypeMeta: apps("StatefulSet"), ObjectMeta: meta("shop", "db"),
		Spec: appsv1.StatefulSetSpec{
			Replicas: point[int32](3), Selector: selector("db"), Template: podTemplate("db"), VolumeClaimTemplates: []corev1.PersistentVolumeClaim{claim}, ServiceName: "db", PodManagementPolicy: "Parallel",
			UpdateStrategy: appsv1.StatefulSetUpdateStrategy{Type: "RollingUpdate", RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: point[int32](1)}},
			Ordinals:       &appsv1.StatefulSetOrdinals{Start: 1},
		},
		Status: appsv1.StatefulSetStatus{Replicas: 3, CurrentRevision: "db-1", UpdateRevision: "db-2", CollisionCount: point[int32](0)},
	}
}

func daemonSet() *appsv1.DaemonSet {
	return &appsv1.DaemonSet{
		TypeMeta: apps("DaemonSet"), ObjectMeta: meta("kube-system", "node-exporter"),
		Spec: appsv1.DaemonSetSpec{Selector: selector("node-exporter"), Template: podTemplate("node-exporter"),
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: "RollingUpdate", RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: point(intstr.FromString("10%"))}}},
		Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: 250, CurrentNumberScheduled: 250, NumberReady: 249, NumberUnavailable: 1},
	}
}

func replicaSet() *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		TypeMeta: apps("ReplicaSet"), ObjectMeta: owned("shop", "cart-5d4f9c", "apps/v1", "Deployment", "cart"),
		Spec:   appsv1.ReplicaSetSpec{Replicas: point[int32](3), Selector: selector("cart"), Template: podTemplate("cart")},
		Status: appsv1.ReplicaSetStatus{Replicas: 3, FullyLabeledReplicas: 3, ReadyReplicas: 3, AvailableReplicas: 3, ObservedGeneration: 1},
	}
}

// controllerRevision contains raw JSON.
func controllerRevision() *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{
		TypeMeta: apps("ControllerRevision"), ObjectMeta: owned("shop", "db-1", "apps/v1", "StatefulSet", "db"), Revision: 9007199254740993,
		Data: runtime.RawExtension{Raw: []byte(`{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null},"weights":[0.1,1e3,-0,12345678901234567890],"text":"\u00e9\ud83d\uded2\u003c\u0026\u003e"}}}`)},
	}
}

func job() *batchv1.Job {
	template := podTemplate("report")
	template.Spec.RestartPolicy = "Never"
	return &batchv1.Job{
		TypeMeta: batch("Job"), ObjectMeta: owned("shop", "report-29000000", "batch/v1", "CronJob", "report"),
		Spec: batchv1.JobSpec{
			Parallelism: point[int32](2), Completions: point[int32](10), ActiveDeadlineSeconds: point[int64](1 << 40), BackoffLimit: point[int32](6), Selector: selector("report"), Template: template,
			CompletionMode: point(batchv1.IndexedCompletion), Suspend: point(false), TTLSecondsAfterFinished: point[int32](0),
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{Action: "Ignore", OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: "DisruptionTarget", Status: "True"}}}}},
		},
		Status: batchv1.JobStatus{
			StartTime: pointAt(0), CompletionTime: pointAt(time.Hour), Succeeded: 10, CompletedIndexes: "0-9", Ready: point[int32](0), Terminating: point[int32](0),
			UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{Succeeded: []types.UID{UID("a"), UID("b")}},
			Conditions:              []batchv1.JobCondition{{Type: "Complete", Status: "True", LastProbeTime: at(time.Hour), LastTransitionTime: at(time.Hour)}},
		},
	}
}

func cronJob() *batchv1.CronJob {
	return &batchv1.CronJob{
		TypeMeta: batch("CronJob"), ObjectMeta: meta("shop", "report"),
		Spec: batchv1.CronJobSpec{Schedule: "*/5 * * * *", TimeZone: point("Europe/Athens"), StartingDeadlineSeconds: point[int64](60), ConcurrencyPolicy: "Forbid", Suspend: point(true), JobTemplate: batchv1.JobTemplateSpec{Spec: job().Spec}},
		Status: batchv1.CronJobStatus{LastScheduleTime: pointAt(0), LastSuccessfulTime: pointAt(time.Hour),
			Active: []corev1.ObjectReference{{Kind: "Job", Namespace: "shop", Name: "report-29000000", UID: UID("shop", "report-29000000"), APIVersion: "batch/v1"}}},
	}
}

func autoscaler() *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"}, ObjectMeta: meta("shop", "cart"),
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "cart"}, MinReplicas: point[int32](2), MaxReplicas: 20,
			Metrics: []autoscalingv2.MetricSpec{
				{Type: "Resource", Resource: &autoscalingv2.ResourceMetricSource{Name: "cpu", Target: autoscalingv2.MetricTarget{Type: "Utilization", AverageUtilization: point[int32](70)}}},
				{Type: "External", External: &autoscalingv2.ExternalMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: "queue", Selector: selector("cart")}, Target: autoscalingv2.MetricTarget{Type: "AverageValue", AverageValue: point(resource.MustParse("1500m"))}}},
			},
			Behavior: &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: point[int32](0), Tolerance: point(resource.MustParse("0.05")),
				Policies: []autoscalingv2.HPAScalingPolicy{{Type: "Percent", Value: 100, PeriodSeconds: 15}}}},
		},
		Status: autoscalingv2.HorizontalPodAutoscalerStatus{LastScaleTime: pointAt(time.Hour), CurrentReplicas: 3, DesiredReplicas: 3,
			CurrentMetrics: []autoscalingv2.MetricStatus{{Type: "Resource", Resource: &autoscalingv2.ResourceMetricStatus{Name: "cpu", Current: autoscalingv2.MetricValueStatus{AverageUtilization: point[int32](61), AverageValue: point(resource.MustParse("153m"))}}}}},
	}
}

func disruptionBudget() *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		TypeMeta: metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"}, ObjectMeta: meta("shop", "cart"),
		Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: point(intstr.FromString("50%")), Selector: selector("cart"), UnhealthyPodEvictionPolicy: point(policyv1.AlwaysAllow)},
		Status: policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DisruptedPods: map[string]metav1.Time{"cart-0": at(time.Hour)}, DisruptionsAllowed: 1, CurrentHealthy: 3, DesiredHealthy: 2, ExpectedPods: 3,
			Conditions: []metav1.Condition{{Type: "DisruptionAllowed", Status: "True", ObservedGeneration: 1, LastTransitionTime: at(0), Reason: "SufficientPods"}}},
	}
}
