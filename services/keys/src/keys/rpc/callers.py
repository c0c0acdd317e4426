"""The methods that each caller may use. All others are refused."""

KEYS_SERVICE = {"edge": ("Authorize", "ReserveLines", "RecordOutcomes", "GetKeyUsage")}
ADMIN_SERVICE = {
    "edge": (
        "GetSetup",
        "CompleteSetup",
        "SignIn",
        "SignOut",
        "GetSession",
        "VerifyCaller",
        "ChangePassword",
        "BeginTotpEnrolment",
        "ConfirmTotpEnrolment",
        "RemoveTotp",
        "GetAccessPolicy",
        "UpdateAccessPolicy",
        "CreateToken",
        "ListTokens",
        "RevokeToken",
        "ListKeys",
        "CreateKey",
        "GetKey",
        "UpdateKey",
        "RevokeKey",
        "RotateKey",
        "ListPartners",
        "CreatePartner",
        "UpdatePartner",
        "ListPlans",
        "CreatePlan",
        "UpdatePlan",
        "GetUsageReport",
        "ListAuditEntries",
        "ListAdmins",
        "CreateAdmin",
        "UpdateAdmin",
    )
}
